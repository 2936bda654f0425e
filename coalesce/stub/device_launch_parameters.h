// CUDA, as rhizome-coalesce parses it.
#include "rhizome_cuda_stub.h"
