// The allocator's own settings and account; Swift's Glibc module leaves this header out.
#ifdef __linux__
#include <malloc.h>
#endif
