/// A thin ring of which a share is filled, clockwise from the top.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QQuickPaintedItem>

namespace ingle::desktop {

class RingItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(Ring)
    /// 0 to 1
    Q_PROPERTY(double share MEMBER m_share NOTIFY changed)
    Q_PROPERTY(QColor color MEMBER m_color NOTIFY changed)
    Q_PROPERTY(QColor groove MEMBER m_groove NOTIFY changed)
  public:
    explicit RingItem(QQuickItem* parent = nullptr);

    void paint(QPainter* painter) override;

  signals:
    void changed();

  private:
    double m_share = 0;
    QColor m_color;
    QColor m_groove;
};

}  // namespace ingle::desktop
