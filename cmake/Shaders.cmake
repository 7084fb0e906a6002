# ingle_shaders(TARGET t FOLDER f)
#
# Compiles every <folder>/<name>.comp to SPIR-V and embeds it, listed by vulkan::allShaders()
# (engine/backend/vulkan/substrate/shaders.h). <folder>/*.glsl are includes. A file may be compiled several times with
# different macros; it lists them in lines of its own, and then there is no shader of the file's own name:
#     // variant: matvec_q4 -DBITS=4
#     // variant: matvec_q8 -DBITS=8
# A line `// variant per quant` stands for one variant <name>_<type> for each <folder>/quant/<type>.glsl, which the
# shader includes as "quant.glsl"; `// variant per integer quant` for those only that include "levels.glsl"; `//
# variant per quant but T` leaves T out.
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
    # What shaders and programs number alike.
    list(APPEND includes ${quants} ${CMAKE_SOURCE_DIR}/engine/kernels/activation_kinds.inc
        ${CMAKE_SOURCE_DIR}/engine/kernels/chunk_rows.inc)
    foreach(quant ${quants})
        get_filename_component(type ${quant} NAME_WE)
        file(CONFIGURE OUTPUT ${out}/quant/${type}/quant.glsl CONTENT
            "#include \"quant/${type}.glsl\"\n#include \"decode.glsl\"\n")
    endforeach()
    set(compiled "")
    set(rows "")
    set(names "")
    set(count 0)
    foreach(file ${files})
        # The list of variants is read at configure time.
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        file(STRINGS ${file} variants REGEX "^// variant: ")
        file(STRINGS ${file} perQuant REGEX "^// variant per (integer )?quant( but [a-z0-9_]+)?$")
        if(perQuant)
            get_filename_component(name ${file} NAME_WE)
            foreach(quant ${quants})
                file(STRINGS ${quant} levels REGEX "^#include \"levels.glsl\"$")
                get_filename_component(type ${quant} NAME_WE)
                if((NOT levels AND perQuant MATCHES "integer") OR perQuant MATCHES " but ${type}$")
                    continue()
                endif()
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
            add_custom_command(OUTPUT ${out}/${name}.spv
                COMMAND ${INGLE_GLSLANG} --quiet -V --target-env vulkan1.2 -I${folder} -I${CMAKE_SOURCE_DIR} ${words}
                    -o ${out}/${name}.spv ${file}
                COMMAND ${INGLE_SPIRV_VAL} --target-env vulkan1.2 ${out}/${name}.spv
                DEPENDS ${file} ${includes}
                COMMENT "Shader ${name}" VERBATIM)
            list(APPEND compiled ${out}/${name}.spv)
            string(APPEND rows "SHADER(${name}, \"${out}/${name}.spv\")\n")
            string(APPEND names "    {\"${name}\", {${name}_words, ${name}_end}},\n")
            math(EXPR count "${count} + 1")
        endforeach()
    endforeach()
    set(table ${CMAKE_BINARY_DIR}/generated/allShaders_table.cpp)
    # The assembler takes the words in: as C++ arrays they cost a compiler's start each.
    file(CONFIGURE OUTPUT ${table} CONTENT
"// Generated from ${A_FOLDER} by cmake/Shaders.cmake.
#include \"engine/backend/vulkan/substrate/shaders.h\"

#include <array>

#define SHADER(name, file) \\
    asm(\".pushsection .rodata\\n.balign 4\\n\" #name \"_words: .incbin \\\"\" file \"\\\"\\n\" #name \\
        \"_end:\\n.popsection\\n\"); \\
    extern \"C\" [[gnu::visibility(\"hidden\")]] const uint32_t name##_words[], name##_end[];
${rows}
namespace ingle::backend::vulkan {

std::span<const Shader> allShaders() {
    static const std::array<Shader, ${count}> table = {{
${names}    }};
    return table;
}

}  // namespace ingle::backend::vulkan
" @ONLY)
    set_source_files_properties(${table} PROPERTIES OBJECT_DEPENDS "${compiled}")
    target_sources(${A_TARGET} PRIVATE ${table})
endfunction()
