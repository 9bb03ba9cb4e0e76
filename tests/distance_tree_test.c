/* Trees by weight from rows turned round, by warps one lane wide. */
#include "distance_tree_model.h"
