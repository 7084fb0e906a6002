/// For callbacks that may outlive whom they are for.
#pragma once

#include <QObject>
#include <QPointer>

#include <utility>

namespace ingle::desktop {

/// `call`, which does nothing any more once `context` is gone.
template <typename Call>
auto whileAlive(QObject* context, Call call) {
    return [alive = QPointer<QObject>(context), call = std::move(call)](const auto&... arguments) {
        if (alive) call(arguments...);
    };
}

}  // namespace ingle::desktop
