// A soft surface; where it goes on in the row above or below, it has no corners.
import QtQuick
import Inglenook

Rectangle {
    id: box

    property bool opensAbove: false
    property bool opensBelow: false

    radius: Theme.radius
    color: Theme.surface

    Rectangle {
        visible: box.opensAbove
        width: parent.width
        height: Math.min(box.radius, box.height)
        color: box.color
    }
    Rectangle {
        visible: box.opensBelow
        y: box.height - height
        width: parent.width
        height: Math.min(box.radius, box.height)
        color: box.color
    }
}
