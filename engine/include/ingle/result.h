/// Result and Error: what every function that can fail returns. Header-only: every layer and the application
/// can use it.
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

/// The kind of a failure. Its names are stable, since the host protocol contains them (see errorCodeName).
enum class ErrorCode {
    Io,               ///< the operating system refused (missing file, no space, permission)
    Corrupt,          ///< the data violates its own format
    Unsupported,      ///< well-formed, but this version cannot use it
    InvalidArgument,  ///< the caller's value is outside its range
    OutOfMemory,      ///< a memory budget was exceeded
    Device,           ///< a compute device failed
    Cancelled,        ///< somebody asked to stop
};

/// A failure. The message is one detailed sentence: what failed, where, and the offending value. Errors that
/// people see also have an id, for which there is a sentence in their language (ingle/error_ids.h).
struct Error {
    ErrorCode code;
    std::string message;
    std::string id = {};                      ///< empty: there is only the message
    std::vector<std::string> arguments = {};  ///< values in the sentence of that id
};

template <typename T>
class Result;
template <typename T>
constexpr bool kIsResult = false;
template <typename T>
constexpr bool kIsResult<Result<T>> = true;
template <>
inline constexpr bool kIsResult<tl::unexpected<Error>> = true;

/// A T, or the Error that took its place. It is a tl::expected, but code that ignores one does not compile.
/// Where neither value nor error matters, write `(void)` and a comment that says why. (The constructors are
/// not inherited, because with them a Result<bool> would take whether another Result has a value as its
/// value.)
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

/// Escapes a text for a message; returns a value of any other type unchanged.
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
/// magic);` Texts are escaped. Pass a name from a file through shown(), which also shortens it.
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
#define INGLE_TRY(expr) INGLE_TRY_NAMED(INGLE_CONCAT(tryResult_, __COUNTER__), expr)
#define INGLE_TRY_NAMED(name, expr)                                                                    \
    do {                                                                                               \
        if (auto name = (expr); !name) return tl::unexpected<::ingle::Error>(std::move(name).error()); \
    } while (false)

/// Binds the value of `expr` to `decl`, or returns its error: `INGLE_TRY_ASSIGN(auto file,
/// MappedFile::open(path));`
#define INGLE_TRY_ASSIGN(decl, expr) INGLE_TRY_ASSIGN_NAMED(INGLE_CONCAT(tryValue_, __COUNTER__), decl, expr)
#define INGLE_TRY_ASSIGN_NAMED(name, decl, expr)                               \
    auto name = (expr);                                                        \
    if (!name) return tl::unexpected<::ingle::Error>(std::move(name).error()); \
    decl = std::move(*name)
