/// Result and Error: how everything that can fail says so. Header-only, usable by every layer and by the
/// application.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "ingle/shown_text.h"

namespace ingle {

/// What kind of failure it was. Stable names: they travel in the host protocol (see errorCodeName).
enum class ErrorCode {
    Io,               ///< the operating system refused (missing file, no space, permission)
    Corrupt,          ///< the data contradicts its own format
    Unsupported,      ///< well-formed, but this version cannot use it
    InvalidArgument,  ///< the caller's value is outside its range
    OutOfMemory,      ///< a memory budget was exceeded
    Device,           ///< a compute device failed
    Cancelled,        ///< somebody asked to stop
};

/// One sentence for whoever looks closely: what failed, where, and the offending value. Errors that people
/// meet also have an id, for a sentence in their language (ingle/error_ids.h).
struct Error {
    ErrorCode code;
    std::string message;
    std::string id = {};                      ///< empty: `message` is all there is
    std::vector<std::string> arguments = {};  ///< what that sentence speaks of
};

template <typename T>
class Result;
template <typename T>
constexpr bool kIsResult = false;
template <typename T>
constexpr bool kIsResult<Result<T>> = true;
template <>
inline constexpr bool kIsResult<tl::unexpected<Error>> = true;

/// A T or the Error that took its place: tl::expected, but dropping one does not compile. Where neither
/// matters, `(void)` says so, with a comment why. (Constructors are not inherited: they would take whether
/// there is a value for the value of a Result<bool>.)
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
    using Base = tl::expected<T, Error>;

  public:
    Result() = default;
    Result(tl::unexpected<Error> error) : Base(std::move(error)) {}
    template <typename U = T>
    requires(std::is_convertible_v<U, T> && !kIsResult<std::remove_cvref_t<U>>) Result(U&& value)
        : Base(tl::in_place, std::forward<U>(value)) {}
    template <typename U>
    requires(std::is_convertible_v<U, T> && !std::is_void_v<U>) Result(Result<U> other)
        : Base(other ? Base(tl::in_place, *std::move(other))
                     : Base(tl::unexpected<Error>(std::move(other).error()))) {}
};
using Status = Result<void>;

/// Texts are escaped, everything else stays what it is.
template <typename T>
decltype(auto) printable(const T& value) {
    if constexpr (std::is_same_v<T, char>)
        return escaped({&value, 1});
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
        return escaped(value);
    else
        return (value);
}

/// Builds the error branch of a Result: `return fail(ErrorCode::Corrupt, "{}: bad magic {:#x}", path,
/// magic);` Texts are escaped; a name from a file goes through shown(), which also cuts it.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
    return tl::unexpected<Error>(Error{code, fmt::vformat(text, fmt::make_format_args(printable(args)...))});
}

constexpr std::string_view errorCodeName(ErrorCode code) {
    switch (code) {
        case ErrorCode::Io:
            return "Io";
        case ErrorCode::Corrupt:
            return "Corrupt";
        case ErrorCode::Unsupported:
            return "Unsupported";
        case ErrorCode::InvalidArgument:
            return "InvalidArgument";
        case ErrorCode::OutOfMemory:
            return "OutOfMemory";
        case ErrorCode::Device:
            return "Device";
        case ErrorCode::Cancelled:
            return "Cancelled";
    }
    return "Io";
}

}  // namespace ingle

#define INGLE_CONCAT_INNER(a, b) a##b
#define INGLE_CONCAT(a, b) INGLE_CONCAT_INNER(a, b)

/// Returns the error of `expr` (a Status or Result) from the enclosing function, if there is one.
#define INGLE_TRY(expr)                                                           \
    do {                                                                          \
        if (auto tryResult_ = (expr); !tryResult_)                                \
            return tl::unexpected<::ingle::Error>(std::move(tryResult_).error()); \
    } while (false)

/// Binds the value of `expr` to `decl`, or returns its error: `INGLE_TRY_ASSIGN(auto file,
/// MappedFile::open(path));`
#define INGLE_TRY_ASSIGN(decl, expr) INGLE_TRY_ASSIGN_NAMED(INGLE_CONCAT(tryValue_, __COUNTER__), decl, expr)
#define INGLE_TRY_ASSIGN_NAMED(name, decl, expr)                               \
    auto name = (expr);                                                        \
    if (!name) return tl::unexpected<::ingle::Error>(std::move(name).error()); \
    decl = std::move(*name)
