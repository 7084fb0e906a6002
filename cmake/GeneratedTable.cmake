# ingle_generated_table(TARGET t FOLDER f SUFFIX s TYPE T HEADER h NAMESPACE n FUNCTION fn)
#
# One addition, one file: every <folder>/<name>.cpp defines `extern const T <name>_<suffix>;`. This writes a source file
# that lists them all behind `std::span<const T* const> n::fn()`, so that a new file is known without editing anything.
# (Static self-registration would be dropped by the linker, since the objects live in a static library.)
function(ingle_generated_table)
    cmake_parse_arguments(A "" "TARGET;FOLDER;SUFFIX;TYPE;HEADER;NAMESPACE;FUNCTION" "" ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${A_FOLDER}/*.cpp)
    list(SORT files)
    set(externs "")
    set(rows "")
    foreach(file ${files})
        get_filename_component(stem ${file} NAME_WE)
        string(APPEND externs "extern const ${A_TYPE} ${stem}_${A_SUFFIX};\n")
        string(APPEND rows "    &${stem}_${A_SUFFIX},\n")
    endforeach()
    list(LENGTH files count)
    set(out ${CMAKE_BINARY_DIR}/generated/${A_FUNCTION}_table.cpp)
    file(CONFIGURE OUTPUT ${out} CONTENT
"// Generated from ${A_FOLDER} by cmake/GeneratedTable.cmake.
#include \"${A_HEADER}\"

#include <array>
#include <span>

namespace ${A_NAMESPACE} {
${externs}
namespace {
constexpr std::array<const ${A_TYPE}*, ${count}> kTable = {
${rows}};
}

std::span<const ${A_TYPE}* const> ${A_FUNCTION}() {
    return kTable;
}
}  // namespace ${A_NAMESPACE}
" @ONLY)
    target_sources(${A_TARGET} PRIVATE ${out})
    set_source_files_properties(${files} ${out} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
