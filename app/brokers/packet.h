/// A question, or its answer, between the window and a broker: a text, and files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/file_descriptor.h"

namespace ingle::brokers {

struct Packet {
    std::string text;
    std::vector<FileDescriptor> files;
};

/// Both ends of a socket that keeps packets apart; closed ones where there are no more descriptors.
struct Ends {
    FileDescriptor ours, theirs;
};
Ends makeEnds();

/// False: nobody is there any more, or it is too long.
bool send(int socket, std::string_view text, const std::vector<int>& files = {});
/// Nothing: nobody is there any more.
std::optional<Packet> receive(int socket);

/// Texts as one, each with its end.
std::string joined(const std::vector<std::string>& texts);
std::vector<std::string> split(std::string_view text);

}  // namespace ingle::brokers
