/* The tables of gpu/dynamic/slab.h: a thread is a warp of one lane. */
#include "slab_model.h"
