#ifndef HEARTH_CJWT_SHIM_H
#define HEARTH_CJWT_SHIM_H

#include <jwt.h>

#endif
