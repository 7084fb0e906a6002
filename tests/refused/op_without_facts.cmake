# An op without a row in op_facts.cpp does not compile: with one more OpCode there is an error, and that one.
# cmake -D COMPILER=… -D SOURCE=<repository> -D OUT=<folder> -P op_without_facts.cmake
function(compile expected)
    execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${OUT} -I${SOURCE} -I${SOURCE}/engine/include
        ${SOURCE}/engine/backend/op_facts.cpp RESULT_VARIABLE result ERROR_VARIABLE errors)
    if(expected STREQUAL "" AND result EQUAL 0)
        return()
    endif()
    if(expected STREQUAL "" OR NOT errors MATCHES "${expected}")
        message(FATAL_ERROR "\"${expected}\" was expected of the compiler, which ended with ${result}:\n${errors}")
    endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
compile("")
file(READ ${SOURCE}/engine/backend/op.h text)
string(REGEX REPLACE "\n( +End,)" "\n    Forgotten,\n\\1" changed "${text}")
if(changed STREQUAL text)
    message(FATAL_ERROR "op.h has no End of its ops")
endif()
file(WRITE ${OUT}/engine/backend/op.h "${changed}")
compile("each OpCode needs a row in kFacts")
