# ingle_folder_units()
#
# Where INGLE_FOLDER_UNITS is on (the presets `release`, `asan` and `tsan`), the files of a folder are compiled as one, which reads
# their common headers once: a build from nothing takes half as long. It is called at the end of a folder's CMakeLists.txt, for
# all libraries and programs there. Whole folders, so that a new file moves no other into another's company: names of a folder
# have to differ, as they should for whoever reads it. The files of a table (GeneratedTable.cmake) name their parts alike on
# purpose, and are compiled alone.
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
                set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
            endif()
        endforeach()
    endforeach()
endfunction()
