// SPDX-License-Identifier: Apache-2.0
// The structs of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html), by which libraries hand each
// other arrays without a copy. Names and layout are those of the standard.
#pragma once

#include <cstdint>

namespace rhizome::python {

enum DLDeviceType : std::int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
enum DLDataTypeCode : std::uint8_t { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBool = 6 };

struct DLDevice {
    DLDeviceType device_type;
    std::int32_t device_id;
};

struct DLDataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct DLTensor {
    void* data;
    DLDevice device;
    std::int32_t ndim;
    DLDataType dtype;
    std::int64_t* shape;
    std::int64_t* strides; ///< in elements; nullptr: contiguous
    std::uint64_t byte_offset;
};

/// In a capsule named "dltensor".
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor*);
};

struct DLPackVersion {
    std::uint32_t major;
    std::uint32_t minor;
};

/// In a capsule named "dltensor_versioned".
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned*);
    std::uint64_t flags; ///< 1: read-only; 2: a copy
    DLTensor dl_tensor;
};

} // namespace rhizome::python
