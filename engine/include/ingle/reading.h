/// Reads a text ahead, such as a document, and keeps the model's state for all questions about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// A text to read ahead.
struct ReadRequest {
    /// The messages that every prompt about the text begins with. The last one ends with the text. A question
    /// follows as another part of that message, or as a message of its own.
    std::vector<ChatMessage> messages;
    /// The name that the state is kept under (1 to 64 letters, digits, '-' or '_'), until Snapshots::retain()
    /// leaves it out. The state is not evicted when snapshots exceed their limit.
    std::string keeper;
    PromptForm promptForm = {};  ///< the same as in the prompts about the text
};

/// How many tokens a text has, and the disk space that its state takes.
struct ReadCost {
    uint32_t tokens = 0;
    uint32_t readTokens = 0;  ///< of these, the ones whose state is kept already
    uint64_t keptBytes = 0;   ///< size of the state on disk when all tokens are read

    bool operator==(const ReadCost&) const = default;
};

/// Receives the events of one reading. The thread that calls Engine::step() calls every function.
class ReadSink {
  public:
    virtual ~ReadSink() = default;
    virtual void onCost(const ReadCost& cost) = 0;               ///< first, once
    virtual void onProgress(uint32_t done, uint32_t total) = 0;  ///< tokens read, with those kept earlier
    virtual void onRead(const ReadCost& cost) = 0;               ///< last, unless onError
    virtual void onError(const Error& error) = 0;                ///< last, unless onRead
};

}  // namespace ingle
