/// Where the far server is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::bridge {

struct FarAddress {
    std::string base;  ///< "https://host:8000/v1", without a slash at its end
    std::string root;  ///< the same without "/v1": where some servers have what is not in OpenAI's interface
    std::string host;  ///< for people: "host:8000"
    uint16_t port = 443;
    bool isLoopback = false;
    bool isEncrypted = true;
};

/// The ports by which it is reached: its own, and those of the proxies that the environment names.
std::vector<uint16_t> portsTo(const FarAddress& address);

/// What may go over a network unencrypted.
enum class Plain { OnlyLoopback, Anywhere };

/// Errors: InvalidArgument (no address of a server, with a name or password in it, with a question or a
/// fragment; http:// to another computer).
Result<FarAddress> farAddress(const std::string& url, Plain plain);

}  // namespace ingle::bridge
