#define MLMQ_UINT64
#include "mlmq_model.h"
