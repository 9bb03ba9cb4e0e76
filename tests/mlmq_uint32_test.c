#define MLMQ_UINT32
#include "mlmq_model.h"
