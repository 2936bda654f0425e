# Libraries that the rooms stand on. A GPU-tests-only build needs none but GoogleTest and Boost's headers.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
if(NOT RHIZOME_GPU_TESTS_ONLY)
    find_package(TBB REQUIRED)
    find_package(Boost 1.74 REQUIRED COMPONENTS context iostreams)
    find_package(fmt REQUIRED)
    find_package(cxxopts REQUIRED)
    find_package(nlohmann_json REQUIRED)
endif()
if(RHIZOME_BUILD_TESTS)
    find_package(GTest REQUIRED)
endif()
