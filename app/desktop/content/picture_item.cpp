#include "app/desktop/content/picture_item.h"

#include <QPainter>
#include <QPainterPath>

#include <utility>

namespace ingle::desktop {

PictureItem::PictureItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setAntialiasing(true);
}

void PictureItem::setPictures(Pictures* pictures) {
    if (std::exchange(m_pictures, pictures) == pictures) return;
    emit asked();
    look();
}

void PictureItem::setHash(const QString& hash) {
    if (std::exchange(m_hash, hash) == hash) return;
    emit asked();
    look();
}

void PictureItem::setWhole(bool whole) {
    if (std::exchange(m_whole, whole) == whole) return;
    emit asked();
    look();
}

void PictureItem::componentComplete() {
    QQuickPaintedItem::componentComplete();
    look();
}

void PictureItem::look() {
    if (!isComponentComplete()) return;
    const auto detail = m_whole ? Pictures::Detail::Whole : Pictures::Detail::Thumbnail;
    m_shown = m_pictures && !m_hash.isEmpty() ? m_pictures->find(m_hash, detail, this, [this] { look(); })
                                              : nullptr;
    emit shownChanged();
    update();
}

void PictureItem::paint(QPainter* painter) {
    if (!m_shown || m_shown->image.isNull()) return;
    const QImage& image = m_shown->image;
    painter->setRenderHint(QPainter::SmoothPixmapTransform);
    const QRectF room = boundingRect();
    if (m_radius > 0) {
        QPainterPath corners;
        corners.addRoundedRect(room, m_radius, m_radius);
        painter->setClipPath(corners);
    }
    const QSizeF size =
        QSizeF(image.size())
            .scaled(room.size(), m_whole ? Qt::KeepAspectRatio : Qt::KeepAspectRatioByExpanding);
    QRectF place(QPointF(), size);
    place.moveCenter(room.center());
    painter->drawImage(place, image);
}

}  // namespace ingle::desktop
