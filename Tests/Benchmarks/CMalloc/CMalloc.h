// The allocator's own account of what is allocated; Swift's Glibc module leaves this header out.
#include <malloc.h>
