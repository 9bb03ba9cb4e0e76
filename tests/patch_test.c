/* The copy of a graph that follows a batch, by warps one lane wide. */
#include "patch_model.h"
