# The library ingle_version says which version this is and when it was released. One file is compiled again when that
# changes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md)
file(READ ${CMAKE_SOURCE_DIR}/CHANGELOG.md changelog)
string(REPLACE "." "\\." version_pattern ${PROJECT_VERSION})
set(INGLE_RELEASE_DATE "")
if(changelog MATCHES "\n## ${version_pattern} \\(([0-9-]+)\\)\n")
    set(INGLE_RELEASE_DATE ${CMAKE_MATCH_1})
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.cpp.in ${CMAKE_BINARY_DIR}/generated/version.cpp @ONLY)
add_library(ingle_version STATIC ${CMAKE_BINARY_DIR}/generated/version.cpp)
