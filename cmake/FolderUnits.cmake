# ingle_folder_units()
#
# Where INGLE_FOLDER_UNITS is on (the presets `release`, `asan` and `tsan`), the files of a folder are compiled as one,
# which reads their common headers once: a build from nothing takes half as long. Call it at the end of a folder's
# CMakeLists.txt: it covers all libraries and programs there. Names of a folder have to differ, as they should for
# whoever reads it, so a unit is a whole folder: a new file joins files that it knows.
#
# The files of a generated table (GeneratedTable.cmake) have a namespace each and name their parts alike. Such folders
# are long, and are cut into units of INGLE_TABLE_UNIT files.
set(INGLE_TABLE_UNIT 12)

function(ingle_folder_units)
    if(NOT INGLE_FOLDER_UNITS)
        return()
    endif()
    get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
        get_target_property(type ${target} TYPE)
        if(NOT type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
            continue()
        endif()
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
        get_target_property(sources ${target} SOURCES)
        foreach(source ${sources})
            cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE file)
            if(file MATCHES "\\.cpp$" AND NOT file MATCHES "^${CMAKE_BINARY_DIR}/")
                cmake_path(GET file PARENT_PATH folder)
                cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
                string(MAKE_C_IDENTIFIER "${folder}" group)
                get_source_file_property(row ${file} INGLE_TABLE_ROW)
                if(NOT row STREQUAL "NOTFOUND")
                    math(EXPR unit "${row} / ${INGLE_TABLE_UNIT}")
                    string(APPEND group "_${unit}")
                endif()
                set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
            endif()
        endforeach()
    endforeach()
endfunction()
