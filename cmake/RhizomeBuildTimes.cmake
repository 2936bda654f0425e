# SPDX-License-Identifier: Apache-2.0
# RHIZOME_BUILD_TIMES: each compiled file OBJECT gets a file OBJECT.times, which scripts/build-time.sh reads.

if(RHIZOME_BUILD_TIMES)
    if(NOT CMAKE_GENERATOR STREQUAL "Ninja")
        message(FATAL_ERROR "RHIZOME_BUILD_TIMES needs the generator Ninja, not ${CMAKE_GENERATOR}")
    endif()
    # In front of the launchers that targets and users choose. The folders below inherit it.
    set_property(DIRECTORY PROPERTY RULE_LAUNCH_COMPILE "\"${PROJECT_SOURCE_DIR}/cmake/timed.sh\"")
    add_custom_target(calibration)
endif()

# Compiles the file whose processor time is the unit of build times. Ninja compiles in the order of the folders: call it
# between them, so that the unit is measured while the processors do what they do for the files around it.
function(rhizome_calibrate)
    if(RHIZOME_BUILD_TIMES)
        get_property(number GLOBAL PROPERTY RHIZOME_CALIBRATIONS)
        math(EXPR number "${number} + 1")
        set_property(GLOBAL PROPERTY RHIZOME_CALIBRATIONS ${number})
        add_subdirectory(${PROJECT_SOURCE_DIR}/scripts/build-time ${PROJECT_BINARY_DIR}/calibration/${number})
    endif()
endfunction()
