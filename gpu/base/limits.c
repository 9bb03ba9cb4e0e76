/* The limits of a build with tests (limits.h). */
#include "limits.h"

#ifdef GPUGRAPH_TEST_LIMITS
struct gg_limits gg_limits = GG_USUAL_LIMITS;
#endif
