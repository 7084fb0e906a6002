# ingle_shaders(TARGET t FOLDER f)
#
# Compiles every <folder>/<name>.comp to SPIR-V and embeds it, listed by vulkan::allShaders()
# (engine/backend/vulkan/substrate/shaders.h). <folder>/*.glsl are includes. A file may be compiled several times with different
# macros; it lists them in lines of its own, and then there is no shader of the file's own name:
#     // variant: matvec_q4 -DBITS=4
#     // variant: matvec_q8 -DBITS=8
# A line `// variant per quant` stands for one variant <name>_<type> for each <folder>/quant/<type>.glsl, which the shader
# includes as "quant.glsl"; `// variant per integer quant` for those only that include "levels.glsl".
find_program(INGLE_GLSLANG glslangValidator REQUIRED)
find_program(INGLE_SPIRV_VAL spirv-val REQUIRED)

function(ingle_shaders)
    cmake_parse_arguments(A "" "TARGET;FOLDER" "" ${ARGN})
    set(folder ${CMAKE_SOURCE_DIR}/${A_FOLDER})
    set(out ${CMAKE_BINARY_DIR}/generated/shaders)
    file(MAKE_DIRECTORY ${out})
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.comp)
    file(GLOB quants CONFIGURE_DEPENDS ${folder}/quant/*.glsl)
    file(GLOB includes CONFIGURE_DEPENDS ${folder}/*.glsl)
    # Shaders and programs number the activation functions by one list.
    list(APPEND includes ${quants} ${CMAKE_SOURCE_DIR}/engine/kernels/activation_kinds.inc)
    foreach(quant ${quants})
        get_filename_component(type ${quant} NAME_WE)
        file(CONFIGURE OUTPUT ${out}/quant/${type}/quant.glsl CONTENT "#include \"quant/${type}.glsl\"\n")
    endforeach()
    set(embed ${CMAKE_SOURCE_DIR}/cmake/EmbedShader.cmake)
    set(externs "")
    set(rows "")
    set(count 0)
    foreach(file ${files})
        # The list of variants is read at configure time.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(STRINGS ${file} variants REGEX "^// variant: ")
        file(STRINGS ${file} perQuant REGEX "^// variant per (integer )?quant$")
        if(perQuant)
            get_filename_component(name ${file} NAME_WE)
            foreach(quant ${quants})
                file(STRINGS ${quant} levels REGEX "^#include \"levels.glsl\"$")
                if(NOT levels AND perQuant MATCHES "integer")
                    continue()
                endif()
                get_filename_component(type ${quant} NAME_WE)
                list(APPEND variants "${name}_${type} -I${out}/quant/${type}")
            endforeach()
        endif()
        if(NOT variants)
            get_filename_component(variants ${file} NAME_WE)
        endif()
        foreach(variant ${variants})
            string(REPLACE "// variant: " "" variant "${variant}")
            separate_arguments(words UNIX_COMMAND "${variant}")
            list(POP_FRONT words name)
            add_custom_command(OUTPUT ${out}/${name}.cpp
                COMMAND ${INGLE_GLSLANG} --quiet -V --target-env vulkan1.2 -I${folder} -I${CMAKE_SOURCE_DIR} ${words} -o ${out}/${name}.spv ${file}
                COMMAND ${INGLE_SPIRV_VAL} --target-env vulkan1.2 ${out}/${name}.spv
                COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DSPIRV=${out}/${name}.spv -DOUT=${out}/${name}.cpp -P ${embed}
                DEPENDS ${file} ${includes} ${embed}
                COMMENT "Shader ${name}" VERBATIM)
            target_sources(${A_TARGET} PRIVATE ${out}/${name}.cpp)
            string(APPEND externs "extern const Shader ${name}_shader;\n")
            string(APPEND rows "    &${name}_shader,\n")
            math(EXPR count "${count} + 1")
        endforeach()
    endforeach()
    set(table ${CMAKE_BINARY_DIR}/generated/allShaders_table.cpp)
    file(CONFIGURE OUTPUT ${table} CONTENT
"// Generated from ${A_FOLDER} by cmake/Shaders.cmake.
#include \"engine/backend/vulkan/substrate/shaders.h\"

#include <array>

namespace ingle::backend::vulkan {
${externs}
namespace {
constexpr std::array<const Shader*, ${count}> kTable = {
${rows}};
}

std::span<const Shader* const> allShaders() {
    return kTable;
}
}  // namespace ingle::backend::vulkan
" @ONLY)
    target_sources(${A_TARGET} PRIVATE ${table})
endfunction()
