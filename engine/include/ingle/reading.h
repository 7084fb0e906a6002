/// Text that stands before every question about it, read ahead and kept for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

struct ReadRequest {
    /// What every prompt about the text begins with. The last message ends with the text: a question may
    /// follow it there, as another part, or in a message of its own.
    std::vector<ChatMessage> messages;
    /// Whom the memory is kept for (as GenerateRequest::conversation), until Snapshots::retain leaves it out.
    /// It does not go when snapshots take too much room.
    std::string keeper;
    PromptForm promptForm = {};  ///< as in the prompts about it
};

/// What reading a text comes to.
struct ReadCost {
    uint32_t tokens = 0;
    uint32_t readTokens = 0;  ///< that many of them are kept already
    uint64_t keptBytes = 0;   ///< on the disk, when all is read

    bool operator==(const ReadCost&) const = default;
};

/// Receives what comes of one reading. Called on the thread that calls Engine::step().
class ReadSink {
  public:
    virtual ~ReadSink() = default;
    virtual void onCost(const ReadCost& cost) = 0;               ///< first, once
    virtual void onProgress(uint32_t done, uint32_t total) = 0;  ///< tokens, those that were kept among them
    virtual void onRead(const ReadCost& cost) = 0;               ///< last, unless onError
    virtual void onError(const Error& error) = 0;                ///< last, unless onRead
};

}  // namespace ingle
