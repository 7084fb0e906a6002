// A picture: where it is kept, and what it shows.
import QtQuick
import Inglenook

Folded {
    required property string label

    title: qsTr("Picture: %1").arg(label)
    iconName: "file"
}
