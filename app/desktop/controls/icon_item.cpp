#include "app/desktop/controls/icon_item.h"

#include <QFile>
#include <QSvgRenderer>

namespace ingle::desktop {
namespace {

constexpr qreal kIconSize = 20;

}  // namespace

IconItem::IconItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setImplicitSize(kIconSize, kIconSize);
    setAntialiasing(true);
    connect(this, &IconItem::changed, this, [this] { update(); });
}

void IconItem::paint(QPainter* painter) {
    QFile file(":/qt/qml/Inglenook/icons/" + m_name + ".svg");
    if (m_name.isEmpty() || !file.open(QIODevice::ReadOnly)) return;
    QByteArray drawing = file.readAll();
    drawing.replace("currentColor", m_color.name().toLatin1());
    QSvgRenderer(drawing).render(painter, boundingRect());
}

}  // namespace ingle::desktop
