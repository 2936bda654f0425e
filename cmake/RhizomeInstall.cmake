# SPDX-License-Identifier: Apache-2.0
# Installing: headers by module, libraries, the tool, and the package files for find_package(rhizome).
include(CMakePackageConfigHelpers)

foreach(module exec alloc compaction container comm graph algorithms runtime io stream) # not the tool: its libraries are not exported
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${module}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rhizome/${module}
            FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inl")
endforeach()

rhizome_has_components(has_malloc malloc)
if(has_malloc AND RHIZOME_HAS_CUDA)
    install(FILES ${PROJECT_SOURCE_DIR}/malloc/malloc.cuh DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rhizome)
    install(TARGETS rhizome_malloc EXPORT rhizome ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES ${RHIZOME_MALLOC_MODULE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    if(TARGET rhizome_malloc_shared)
        install(TARGETS rhizome_malloc_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    endif()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/rhizome.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rhizome)

install(TARGETS rhizome ${RHIZOME_LIBRARIES} EXPORT rhizome ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rhizome NAMESPACE rhizome:: FILE rhizome-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rhizome)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rhizome-config.cmake.in
    ${PROJECT_BINARY_DIR}/rhizome-config.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rhizome)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rhizome-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rhizome-config.cmake ${PROJECT_BINARY_DIR}/rhizome-config-version.cmake
        ${PROJECT_SOURCE_DIR}/cmake/RhizomeNvcc20.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/rhizome)
if(TARGET rhizome_cli)
    install(FILES ${PROJECT_SOURCE_DIR}/bench/harness/plot.py DESTINATION ${CMAKE_INSTALL_DATADIR}/rhizome)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/public/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rhizome
            FILES_MATCHING PATTERN "*.csv")
    install(TARGETS rhizome_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_BINARY_DIR}/cli/shell/rhizome.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${PROJECT_BINARY_DIR}/cli/shell/rhizome.bash
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rhizome)
    install(FILES ${PROJECT_BINARY_DIR}/cli/shell/_rhizome DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
