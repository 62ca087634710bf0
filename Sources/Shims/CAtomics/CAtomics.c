#include "CAtomics.h"

static _Thread_local struct thread_faults faults;

struct thread_faults *thread_faults_current(void) { return &faults; }
