// A passage that the answer rests on.
import QtQuick
import Inglenook

Folded {
    required property string label

    title: qsTr("Source: %1").arg(label)
    iconName: "link"
}
