#define MLMQ_REAL
#include "mlmq_model.h"
