/* Trees by weight from ranked rows, by warps one lane wide. */
#include "ranked_rows_model.h"
