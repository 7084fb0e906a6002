/// The body of a request as it comes: of a known length, or in chunks (RFC 9112, 7.1).
#pragma once

#include <cstdint>
#include <string_view>

namespace ingle::serve::http {

class BodyReader {
  public:
    enum class State { Unfinished, Whole, Malformed };

    static BodyReader ofLength(uint64_t bytes) { return BodyReader(Part::Bytes, bytes, false); }
    static BodyReader ofChunks() { return BodyReader(Part::Size, 0, true); }

    /// Takes the next bytes of the body from the front of `bytes`, and what is around them. Nothing was taken
    /// of an unfinished body: more has to come first.
    std::string_view take(std::string_view& bytes);
    State state() const;

  private:
    enum class Part { Size, Bytes, AfterBytes, Trailer, End, Malformed };

    BodyReader(Part part, uint64_t left, bool isChunked)
        : m_part(part), m_left(left), m_isChunked(isChunked) {
        if (left == 0 && !isChunked) m_part = Part::End;
    }
    /// Of Size, AfterBytes and Trailer. False: it has not come whole.
    bool takeLine(std::string_view& bytes);
    Part partAfter(std::string_view line);

    Part m_part;
    uint64_t m_left;  ///< of the bytes, or of this chunk's
    bool m_isChunked;
    unsigned m_trailerBytes = 0;
};

}  // namespace ingle::serve::http
