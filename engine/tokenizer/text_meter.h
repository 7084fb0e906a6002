/// What cutting one text into tokens may use up.
#pragma once

#include <span>

#include "engine/base/meter.h"
#include "engine/tokenizer/tokenizer.h"

namespace ingle::tokenizer {

/// Grows with the text. Every vocabulary that is published needs a small part of it; those that are made to
/// need more end with Unsupported.
class TextMeter : public base::Meter {
  public:
    explicit TextMeter(size_t textBytes);
    explicit TextMeter(std::span<const TextSegment> segments);

    /// While it exists, the texts that this thread cuts have one time together, beside that of each: many
    /// short ones of a request, or one again and again while it is made to fit.
    class Together {
      public:
        /// `textBytes` of all, once.
        explicit Together(size_t textBytes);
        ~Together();
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;

      private:
        double m_around;
    };
};

/// The error for a text on which it is used up.
tl::unexpected<Error> takesTooLong();

}  // namespace ingle::tokenizer
