# ingle_generated_table(TARGET t FOLDER f SUFFIX s TYPE T HEADER h NAMESPACE n FUNCTION fn [VARIABLE v])
#
# One addition, one file: every <folder>/<name>.cpp defines `extern const T s` in a namespace of its own,
# `n::<name>_s`. (Where one file makes several tables, as kernels do, VARIABLE names the variable, and the namespace
# is `n::s::<name>`.) This writes a source file that lists them all behind `std::span<const T* const> n::fn()`, so that
# a new file is known without editing anything. (Static self-registration would be dropped by the linker, since the
# objects live in a static library.)
function(ingle_generated_table)
    cmake_parse_arguments(A "" "TARGET;FOLDER;SUFFIX;TYPE;HEADER;NAMESPACE;FUNCTION;VARIABLE" "" ${ARGN})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${A_FOLDER}/*.cpp)
    list(SORT files)
    set(externs "")
    set(rows "")
    set(count 0)
    foreach(file ${files})
        get_filename_component(stem ${file} NAME_WE)
        set(row ${stem}_${A_SUFFIX})
        set(variable ${A_SUFFIX})
        if(A_VARIABLE)
            set(row ${A_SUFFIX}::${stem})
            set(variable ${A_VARIABLE})
        endif()
        string(APPEND externs "namespace ${row} {\nextern const ${A_TYPE} ${variable};\n}\n")
        string(APPEND rows "        &${row}::${variable},\n")
        set_source_files_properties(${file} PROPERTIES INGLE_TABLE_ROW ${count})
        math(EXPR count "${count} + 1")
    endforeach()
    set(out ${CMAKE_BINARY_DIR}/generated/${A_FUNCTION}_table.cpp)
    file(CONFIGURE OUTPUT ${out} CONTENT
"// Generated from ${A_FOLDER} by cmake/GeneratedTable.cmake.
#include \"${A_HEADER}\"

#include <array>
#include <span>

namespace ${A_NAMESPACE} {
${externs}
std::span<const ${A_TYPE}* const> ${A_FUNCTION}() {
    static constexpr std::array<const ${A_TYPE}*, ${count}> table = {
${rows}    };
    return table;
}
}  // namespace ${A_NAMESPACE}
" @ONLY)
    target_sources(${A_TARGET} PRIVATE ${out})
    set_source_files_properties(${out} PROPERTIES UNITY_GROUP tables)
endfunction()
