/* The limits of a build with tests (ext_limits.h). */
#include "ext_limits.h"

#ifdef GPUGRAPH_TEST_LIMITS
struct ext_limits ext_limits = EXT_USUAL_LIMITS;
#endif
