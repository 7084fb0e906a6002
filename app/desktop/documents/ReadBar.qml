// How much of a document is read.
import QtQuick
import Inglenook

Rectangle {
    id: bar

    required property double fraction

    implicitHeight: 4
    radius: height / 2
    color: Theme.hover
    Accessible.role: Accessible.ProgressBar
    Accessible.name: qsTr("%1 % read").arg(Math.floor(100 * fraction))

    Rectangle {
        width: parent.width * bar.fraction
        height: parent.height
        radius: parent.radius
        color: Theme.accent
    }
}
