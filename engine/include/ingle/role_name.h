/// The names of roles in chat templates, in the host protocol and in OpenAI's interface.
#pragma once

#include <string_view>

#include "ingle/types.h"

namespace ingle {

constexpr std::string_view roleName(Role role) {
    switch (role) {
        case Role::System:
            return "system";
        case Role::User:
            return "user";
        case Role::Assistant:
            break;
    }
    return "assistant";
}

}  // namespace ingle
