/* Linux, shared libraries: only the CUDA backend loads some, so a build without it
** needs no libdl. See platform.h. */
#include "platform.h"

#include <dlfcn.h>

void *gg_open_library(const char *name) {
    return dlopen(name, RTLD_NOW);
}

void *gg_library_symbol(void *library, const char *name) {
    return dlsym(library, name);
}
