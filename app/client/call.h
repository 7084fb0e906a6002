/// A request with the functions that hear of it, and the same without its type, as the supervisor keeps it.
#pragma once

#include <functional>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "app/protocol/messages.h"

namespace ingle::client {

/// How a request of type R (see app/protocol/messages.h) ended.
template <typename R>
using Outcome = tl::expected<typename R::Reply, protocol::Failed>;

/// Who hears of one request.
template <typename R>
struct Handlers {
    /// Called once, last.
    std::function<void(const Outcome<R>&)> finished;
    /// Called before that, any number of times; may be empty.
    std::function<void(const typename R::Update&)> update = {};
};

/// Where an event stands among those of a request.
enum class Place { Update, Last, Foreign };

struct Call {
    protocol::RequestId id = 0;
    protocol::RequestBody body;
    Place (*placeOf)(const protocol::EventBody&) = nullptr;  ///< what its request type says
    std::function<void(const protocol::EventBody&)> deliver;
};

namespace detail {

template <typename T, typename Variant>
constexpr bool kIsAlternative = false;
template <typename T, typename... Ts>
constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

template <typename R>
Place placeOf(const protocol::EventBody& body) {
    return std::visit(
        [](const auto& event) {
            using E = std::remove_cvref_t<decltype(event)>;
            if constexpr (std::is_same_v<E, typename R::Reply> || std::is_same_v<E, protocol::Failed>)
                return Place::Last;
            else
                return kIsAlternative<E, typename R::Update> ? Place::Update : Place::Foreign;
        },
        body);
}

template <typename R>
void deliver(const Handlers<R>& handlers, const protocol::EventBody& body) {
    std::visit(
        [&](const auto& event) {
            using E = std::remove_cvref_t<decltype(event)>;
            if constexpr (std::is_same_v<E, typename R::Reply>) {
                if (handlers.finished) handlers.finished(Outcome<R>(event));
            } else if constexpr (std::is_same_v<E, protocol::Failed>) {
                if (handlers.finished) handlers.finished(Outcome<R>(tl::unexpect, event));
            } else if constexpr (kIsAlternative<E, typename R::Update>) {
                if (handlers.update) handlers.update(event);
            }
        },
        body);
}

}  // namespace detail

template <typename R>
Call makeCall(protocol::RequestId id, R request, Handlers<R> handlers) {
    return {id, std::move(request), &detail::placeOf<R>,
            [handlers = std::move(handlers)](const protocol::EventBody& body) {
                detail::deliver<R>(handlers, body);
            }};
}

}  // namespace ingle::client
