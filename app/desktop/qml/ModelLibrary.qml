// The models this person has used, and a way to a new one without a mouse.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: library

    required property AppModel app
    readonly property ModelListModel models: app.models

    objectName: "modelLibrary"
    title: qsTr("Models")

    body: ColumnLayout {
        spacing: Theme.l
        Component.onCompleted: library.models.count > 0 ? list.forceActiveFocus() : pathField.forceActiveFocus()

        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: Math.min(contentHeight, 320)
            visible: count > 0
            clip: true
            spacing: 2
            keyNavigationEnabled: true
            activeFocusOnTab: true
            boundsBehavior: Flickable.StopAtBounds
            model: library.models
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Models")
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: ModelRow {
                models: library.models
                width: ListView.view.width
                onChosen: library.close()
            }
        }
        Text {
            Layout.fillWidth: true
            text: qsTr("Drop a file anywhere on the window, or give its path:")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.s

            InputField {
                id: pathField
                objectName: "modelPathField"
                Layout.fillWidth: true
                label: qsTr("Path of a model file")
                placeholderText: qsTr("/path/to/model.gguf")
                onAccepted: openButton.clicked()
            }
            TextButton {
                id: openButton
                text: qsTr("Open")
                enabled: pathField.text.trim().length > 0
                onClicked: {
                    library.models.openPath(pathField.text.trim());
                    pathField.clear();
                    library.close();
                }
            }
            TextButton {
                visible: library.app.portal.canChooseFiles
                text: qsTr("Browse…")
                onClicked: {
                    library.app.portal.chooseFile(qsTr("Choose a model file"));
                    library.close();
                }
            }
        }
    }
}
