// What is known of one model, and what can be done with it.
import QtQuick
import QtQuick.Layouts
import Inglenook

Item {
    id: details

    required property ModelLibrary library
    required property ModelInUse models
    required property Actions actions
    required property DesktopPortal portal
    required property string modelId
    required property bool narrow
    required property real margin
    readonly property var model: library.revision >= 0 ? library.describe(modelId) : null

    signal used
    /// Back to the list.
    signal listWanted

    function takeFocus() {
        back.forceActiveFocus(Qt.TabFocusReason);
    }

    PageColumn {
        margin: details.margin
        visible: details.model.name.length > 0

        TextButton {
            id: back
            objectName: "backToModels"
            visible: details.narrow
            text: qsTr("All models")
            onClicked: details.listWanted()
        }
        Text {
            objectName: "detailsName"
            Layout.fillWidth: true
            text: details.model.name
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.headingSize(2)
            font.weight: Font.DemiBold
            wrapMode: Text.Wrap
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Text {
            objectName: "detailsTrouble"
            Layout.fillWidth: true
            visible: text.length > 0
            text: details.model.trouble
            textFormat: Text.PlainText
            color: Theme.danger
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            TextButton {
                objectName: "useChosen"
                prominent: true
                visible: !details.model.current
                text: qsTr("Use this model")
                onClicked: {
                    details.models.use(details.modelId);
                    details.used();
                }
            }
            TextButton {
                objectName: "settingsOfChosen"
                visible: details.model.current && !details.model.remote
                text: details.actions.words("modelSettings")
                onClicked: details.actions.run("modelSettings")
            }
        }
        Repeater {
            model: details.model.facts
            delegate: ColumnLayout {
                id: fact

                required property var modelData

                Layout.fillWidth: true
                spacing: 0
                Accessible.role: Accessible.StaticText
                Accessible.name: modelData.name + ": " + modelData.value

                Text {
                    Layout.fillWidth: true
                    textFormat: Text.PlainText
                    text: fact.modelData.name
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize - 1
                }
                Text {
                    Layout.fillWidth: true
                    textFormat: Text.PlainText
                    text: fact.modelData.value
                    color: Theme.text
                    font.pixelSize: Theme.smallSize
                    wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                }
            }
        }
        Text {
            Layout.fillWidth: true
            visible: details.model.visionFiles.length > 0
            textFormat: Text.PlainText
            text: qsTr("Files by which it could see pictures")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            wrapMode: Text.Wrap
        }
        Flow {
            Layout.fillWidth: true
            visible: details.model.visionFiles.length > 0
            spacing: Theme.s

            Repeater {
                model: details.model.visionFiles
                delegate: TextButton {
                    required property var modelData
                    required property int index

                    objectName: "seeBy-" + index
                    text: modelData.name
                    enabled: !modelData.chosen
                    Accessible.name: qsTr("See pictures by %1").arg(text)
                    onClicked: details.models.seeBy(modelData.path)
                }
            }
        }
        Flow {
            Layout.fillWidth: true
            Layout.topMargin: Theme.s
            visible: !details.model.remote
            spacing: Theme.s

            TextButton {
                text: qsTr("Copy the path")
                onClicked: details.portal.copy(details.model.path)
            }
            TextButton {
                objectName: "forgetChosen"
                text: qsTr("Remove from the list")
                Accessible.description: qsTr("The file stays.")
                onClicked: details.library.forget(details.modelId)
            }
        }
        Text {
            Layout.fillWidth: true
            visible: !details.model.remote
            textFormat: Text.PlainText
            text: qsTr("Removing a model from the list leaves its file where it is.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            wrapMode: Text.Wrap
        }
    }
    Text {
        anchors.centerIn: parent
        width: parent.width - 2 * details.margin
        visible: details.model.name.length === 0 && !details.narrow
        textFormat: Text.PlainText
        horizontalAlignment: Text.AlignHCenter
        text: qsTr("Choose a model to see what is known of it.")
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        wrapMode: Text.Wrap
    }
}
