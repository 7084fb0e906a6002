# A request for the engine thread of the host that has no handler there does not compile, nor does one without facts.
# cmake -D COMPILER=… -D SOURCE=<repository> -D OUT=<folder> -P request_without_handler.cmake
function(compile expected)
    execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${OUT} -I${SOURCE} -I${SOURCE}/engine/include
        ${SOURCE}/app/cli/host/engine_worker.cpp RESULT_VARIABLE result ERROR_VARIABLE errors)
    if(expected STREQUAL "" AND result EQUAL 0)
        return()
    endif()
    if(expected STREQUAL "" OR NOT errors MATCHES "${expected}")
        message(FATAL_ERROR "\"${expected}\" was expected of the compiler, which ended with ${result}:\n${errors}")
    endif()
endfunction()

function(add_request facts expected)
    file(READ ${SOURCE}/app/protocol/messages.h text)
    set(request "struct Forgotten {\n static constexpr std::string_view kName = \"forgotten\";\n ${facts}\n};\n")
    set(variant "using RequestBody = std::variant<")
    string(REPLACE "${variant}" "${request}${variant}Forgotten, " changed "${text}")
    if(changed STREQUAL text)
        message(FATAL_ERROR "messages.h has no RequestBody")
    endif()
    file(WRITE ${OUT}/app/protocol/messages.h "${changed}")
    compile("${expected}")
endfunction()

file(REMOVE_RECURSE ${OUT})
compile("")
add_request("static constexpr RequestFacts kFacts{.doing = \"forgetting\"};" "deleted function")
add_request("" "no member named [^\n]*kFacts")
