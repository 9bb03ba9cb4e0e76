#include "mis_balanced_model.h"
