/* The tables of gpu/slab.h: a thread is a warp of one lane. */
#include "slab_model.h"
