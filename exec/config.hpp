// The one macro of the house: marks functions that run on the host and on the device.
#pragma once

#if defined(__CUDACC__)
#define RZ_HD __host__ __device__
#else
#define RZ_HD
#endif
