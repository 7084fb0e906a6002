#include "engine/tokenizer/text_meter.h"

#include <ctime>

namespace ingle::tokenizer {
namespace {

constexpr size_t kWorkBeside = size_t{16} << 20, kWorkPerByte = 128;
/// Of the processor: what a unit of work takes is not the same for every pattern.
constexpr double kSecondsBeside = 1, kSecondsPerByte = 2e-6;
constexpr const char* kTooLong = "the model's tokenizer takes too long on this text";

double processorSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

size_t bytesOf(std::span<const TextSegment> segments) {
    size_t bytes = 0;
    for (const TextSegment& segment : segments) bytes += segment.text.size();
    return bytes;
}

}  // namespace

TextMeter::TextMeter(size_t textBytes)
    : base::Meter(kWorkBeside + kWorkPerByte * textBytes, kTooLong,
                  [end = processorSeconds() + kSecondsBeside +
                         kSecondsPerByte * static_cast<double>(textBytes)]() -> Status {
                      if (processorSeconds() > end) return takesTooLong();
                      return {};
                  }) {}

TextMeter::TextMeter(std::span<const TextSegment> segments) : TextMeter(bytesOf(segments)) {}

tl::unexpected<Error> takesTooLong() {
    return fail(ErrorCode::Unsupported, "{}", kTooLong);
}

}  // namespace ingle::tokenizer
