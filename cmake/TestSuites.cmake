# ingle_test_suites(TARGET PREFIX p [FILTER f] [ALONE s…] [ENVIRONMENT e…])
#
# One test of CTest for each suite of a GoogleTest program: starting a process and a device for every case took longer
# than the cases. A suite of more than INGLE_SHARD_CASES cases is cut into shards, so that no processor waits for
# another. Each case of the suites named behind ALONE has a process of its own: what it does to one cannot be undone.
#
# The program is asked for its suites when CTest starts, as by gtest_discover_tests(DISCOVERY_MODE PRE_TEST).
set(INGLE_SHARD_CASES 48)

function(ingle_test_suites target)
    cmake_parse_arguments(A "" "PREFIX;FILTER" "ALONE;ENVIRONMENT" ${ARGN})
    set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
    file(GENERATE OUTPUT ${include} CONTENT
"if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
    add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
else()
    if(\"$<TARGET_FILE:${target}>\" IS_NEWER_THAN \"${tests}\")
        set(PROGRAM \"$<TARGET_FILE:${target}>\")
        set(OUT \"${tests}\")
        set(PREFIX \"${A_PREFIX}\")
        set(FILTER \"${A_FILTER}\")
        set(ALONE \"${A_ALONE}\")
        set(ENVIRONMENT \"${A_ENVIRONMENT}\")
        set(SHARD_CASES ${INGLE_SHARD_CASES})
        include(\"${CMAKE_SOURCE_DIR}/cmake/list_suites.cmake\")
    endif()
    include(\"${tests}\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
