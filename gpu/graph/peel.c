/* The limit of a peel (peel.h). */
#include "graph/peel.h"
#include "tuning.h"

struct peel_limits gg_peel_limits = {GG_PEEL_NARROW};
