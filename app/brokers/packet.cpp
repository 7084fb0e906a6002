#include "app/brokers/packet.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace ingle::brokers {
namespace {

constexpr size_t kMostBytes = 64 * 1024;
constexpr size_t kMostFiles = 4;

}  // namespace

Ends makeEnds() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

bool send(int socket, std::string_view text, const std::vector<int>& files) {
    if (text.size() > kMostBytes || files.size() > kMostFiles) return false;
    iovec bytes{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (!files.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
        std::memcpy(CMSG_DATA(header), files.data(), files.size() * sizeof(int));
    }
    ssize_t sent = -1;
    do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

std::optional<Packet> receive(int socket) {
    Packet packet{std::string(kMostBytes, '\0'), {}};
    iovec bytes{packet.text.data(), packet.text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFiles * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = -1;
    do count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); count > 0 && header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= header->cmsg_len; at += sizeof(int)) {
            int file = -1;
            std::memcpy(&file, reinterpret_cast<const char*>(header) + at, sizeof file);
            packet.files.emplace_back(file);
        }
    }
    if (count <= 0) return std::nullopt;
    packet.text.resize(static_cast<size_t>(count));
    return packet;
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all.append(text).push_back('\0');
    return all;
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> texts;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\0', at), text.size());
        texts.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return texts;
}

}  // namespace ingle::brokers
