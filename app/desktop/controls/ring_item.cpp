#include "app/desktop/controls/ring_item.h"

#include <QPainter>

namespace ingle::desktop {
namespace {

constexpr qreal kSize = 14;
constexpr qreal kWidth = 2;
constexpr int kTop = 90 * 16;  // QPainter counts sixteenths of a degree, against the clock
constexpr double kAround = 360 * 16;

}  // namespace

RingItem::RingItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setImplicitSize(kSize, kSize);
    setAntialiasing(true);
    connect(this, &RingItem::changed, this, [this] { update(); });
}

void RingItem::paint(QPainter* painter) {
    const QRectF circle = boundingRect().adjusted(kWidth / 2, kWidth / 2, -kWidth / 2, -kWidth / 2);
    painter->setPen(QPen(m_groove, kWidth));
    painter->drawEllipse(circle);
    painter->setPen(QPen(m_color, kWidth, Qt::SolidLine, Qt::FlatCap));
    painter->drawArc(circle, kTop, -static_cast<int>(m_share * kAround));
}

}  // namespace ingle::desktop
