#include "app/desktop/viewmodels/notices.h"

#include <utility>

namespace ingle::desktop {

void Notices::showBanner(const QString& sentence) {
    if (m_banner == sentence) return;
    m_banner = sentence;
    emit bannerChanged();
}

void Notices::showToast(const QString& sentence, std::function<void()> undo) {
    m_toast = sentence;
    m_undo = std::move(undo);
    emit toastChanged();
}

void Notices::dismissBanner() {
    showBanner({});
}

void Notices::dismissToast() {
    showToast({});
}

void Notices::undo() {
    const auto undo = std::exchange(m_undo, {});
    dismissToast();
    if (undo) undo();
}

}  // namespace ingle::desktop
